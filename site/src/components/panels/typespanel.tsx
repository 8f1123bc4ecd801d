export function TypesPanel() {
  return null;
}
