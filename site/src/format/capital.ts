/** A word with a capital, as a heading or a column begins. */
export function capital(word: string): string {
  return word[0].toUpperCase() + word.slice(1);
}
