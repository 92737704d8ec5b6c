// How much a query may hold, before anything is made of it: what it becomes grows with its parts, and is planned before it runs.
import type { Json } from './json-reader.ts'

/** Lists and objects within each other: what is read goes down a call for each. */
const nestingMax = 100
/** Lists and objects, but for the rows of inline data sources. */
const partsMax = 3000
/** Texts and numbers of lists that become a column each, or a condition. */
const namesMax = 1000

/** Members whose lists hold values, which cost little. */
const lists: ReadonlySet<string> = new Set(['values', 'rows', 'map'])

/** Refuses a query with too many parts. Layer by layer, since how deep it is, is the caller's doing. */
export function checkSize(json: Json): void {
  let layer: readonly unknown[] = [json.value]
  let parts = 0
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > nestingMax) json.fail(`holds more than ${nestingMax} lists and objects within each other`)
    const next: unknown[] = []
    for (const part of layer) {
      if (typeof part !== 'object' || part === null) continue
      parts += 1
      if (Array.isArray(part)) {
        if (part.length > namesMax) json.fail(`holds a list of ${part.length} parts: ${namesMax} are taken`)
        for (const item of part) next.push(item)
      } else {
        for (const [name, member] of Object.entries(part)) if (!lists.has(name)) next.push(member)
      }
    }
    if (parts > partsMax) json.fail(`holds more than ${partsMax} lists and objects`)
    layer = next
  }
}
