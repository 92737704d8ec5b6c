const nameLengthMax = 120

/** A file name for this content, without an extension, that every system accepts. */
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

/** Downloads a file in the browser. */
export function saveFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
