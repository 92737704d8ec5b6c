const plain = /^[\w@%+=:,./-]+$/
/** Text that is literal between double quotes, in a Unix shell and in that of Windows. */
const soft = /^[^"$`\\!%]*$/

/** The text as one word of a command line, quoted if a shell needs it. */
export function shellWord(text: string): string {
  if (plain.test(text)) return text
  return soft.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`
}
