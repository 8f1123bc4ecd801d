export function LabelsPanel() {
  return null;
}
