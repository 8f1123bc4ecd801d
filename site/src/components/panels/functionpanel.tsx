export function FunctionPanel() {
  return null;
}
