export function ChangesPanel() {
  return null;
}
