export function SinglesPanel() {
  return null;
}
