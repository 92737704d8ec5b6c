const plain = /^[\w@%+=:,./-]+$/
/** What stands for itself between double quotes, in a shell of Unix and in that of Windows. */
const soft = /^[^"$`\\!%]*$/

/** The text as one word of a command line, quoted where a shell needs it. */
export function shellWord(text: string): string {
  if (plain.test(text)) return text
  return soft.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}
