/** Letters and digits alone count: names are also written with other marks between words, and other capitals. */
const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{M}\p{N}.]/gu, '')

/** How many letters have to be changed, added, left out or swapped with the next one (optimal string alignment). */
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

/** Beyond this a word is no slip. A slip in each three letters, at most two. */
const editsMax = 2
const lettersPerEdit = 3
/** Words that are longer are compared with nothing. */
const lettersMax = 100

/** Words after these are not looked at: a request that misspells a name must not cost the more the more names there are. */
const wordsMax = 2000

/** The known word that was likely meant, or null where none is like it. */
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

/** The end of a message that there is no such name: a space and a sentence, or nothing. Whoever reads it must be allowed to see all `known` names. */
export function mayBeMeant(name: string, known: Iterable<string>): string {
  const likely = likelyWord(name, known)
  return likely === null ? '' : ` ${JSON.stringify(likely)} may be meant.`
}
