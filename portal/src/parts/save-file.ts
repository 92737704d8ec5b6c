const nameLengthMax = 120

/** The name of a file by what is in it, without its ending: no system refuses it. */
export function fileNameOf(...words: readonly string[]): string {
  const name = words
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\\/:*?"<>|]+/gu, '-')
  return [...name]
    .slice(0, nameLengthMax)
    .join('')
    .replace(/^[.\s]+|[.\s]+$/g, '')
}

/** Gives the reader a file. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
