/** The parts of `a,b,c`, empty ones left out; `\,` is a comma within a part. */
function splitList(text: string): string[] {
  const parts = text.match(/(?:\\,|[^,])+/g) ?? []
  return parts.map((part) => part.replaceAll('\\,', ','))
}

/** For commander: an option that may hold several values and may be repeated. */
export function collectList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...splitList(text)]
}

/** As `collectList`, of columns of a file: one may have no name, as the index that pandas writes. */
export function collectColumns(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(/(?<!\\),/).map((part) => part.replaceAll('\\,', ','))]
}
