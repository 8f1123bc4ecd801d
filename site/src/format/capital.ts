/** Text with a capital, as a heading or a sentence begins. */
export function capital(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
