/** Only letters and digits count: names are also written with other separators between words, and in other capitals. */
const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}.]/gu, '')

/** The number of letters to change, add, omit or swap with the next one (optimal string alignment). */
function edits(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let to = 1; to <= other.length; to++) {
      const same = one[at - 1] === other[to - 1]
      let least = Math.min(row[to]! + 1, next[to - 1]! + 1, row[to - 1]! + (same ? 0 : 1))
      const swapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      if (swapped) least = Math.min(least, before[to - 2]! + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[other.length]!
}

/** A word further away than this is not a typo. One typo per three letters, at most two. */
const editsMax = 2
const lettersPerEdit = 3
/** Longer words are not compared. */
const lettersMax = 100

/** Only the first names are compared: the cost of a misspelled name in a request must not grow with the number of names. */
const wordsMax = 2000

/** The known word that was likely meant, or null if none is similar. */
export function likelyWord(word: string, known: Iterable<string>): string | null {
  const asked = plain(word)
  if (asked === '' || asked.length > lettersMax) return null
  let likely: string | null = null
  let least = Math.min(editsMax, Math.floor(asked.length / lettersPerEdit)) + 1
  let looked = 0
  for (const one of known) {
    if (++looked > wordsMax) break
    const other = plain(one)
    if (Math.abs(other.length - asked.length) >= least) continue
    const count = edits(asked, other)
    if (count < least) [likely, least] = [one, count]
  }
  return likely
}

/** The end of a message that a name does not exist: a space and a sentence, or nothing. Its reader must be allowed to see all `known` names. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const likely = likelyWord(name, known)
  return likely === null ? '' : ` ${JSON.stringify(likely)} may be meant.`
}
