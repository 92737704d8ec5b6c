// Lists in one string: `a,b,c`, where `\,` is a comma within a part.

/** A part as it is written in a list. */
export const escapedPart = (part: string): string => part.replaceAll(',', '\\,')

export function readCommaList(text: string): string[] {
  return text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','))
}

/** As few lists as can hold the parts. A part that ends with a backslash would escape the comma after it, so it ends its list. */
export function writeCommaLists(parts: readonly string[]): string[] {
  const lists: string[][] = []
  for (const part of parts) {
    const last = lists.at(-1)
    if (last === undefined || last.at(-1)!.endsWith('\\')) lists.push([part])
    else last.push(part)
  }
  return lists.map((list) => list.map(escapedPart).join(','))
}
