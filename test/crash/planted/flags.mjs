/** `serve --port 0 --data x` as settings by their names. */
export function flagsOf(argv) {
  const words = argv.slice(3).map((word) => word.replace(/^--/, ''))
  return Object.fromEntries(words.map((word, index) => [word, words[index + 1]]).filter((_, index) => index % 2 === 0))
}
