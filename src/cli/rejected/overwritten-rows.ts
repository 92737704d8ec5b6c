// What `--set` would overwrite, found in all rows that are meant before any of them is judged again.
import type { PreviewAnswer } from '../../client/answers.ts'

/** Of so many rows. */
export type Overwriting = Pick<PreviewAnswer, 'rows' | 'overwritten'>

/** A preview goes only as far as limits.checkRows and a page of texts: of the rows behind, it is asked again. */
export async function overwritingOf(
  ids: readonly string[],
  preview: (ids: readonly string[]) => Promise<PreviewAnswer>,
): Promise<Overwriting> {
  if (ids.length === 0) return { rows: 0, overwritten: [] }
  const answer = await preview(ids)
  if (!answer.more || ids.length === 1) return answer
  const half = Math.ceil(ids.length / 2)
  const partRows = answer.rows === 0 ? half : Math.min(answer.rows, half)
  let all: Overwriting = { rows: 0, overwritten: [] }
  for (let from = 0; from < ids.length; from += partRows)
    all = both(all, await overwritingOf(ids.slice(from, from + partRows), preview))
  return all
}

function both(one: Overwriting, other: Overwriting): Overwriting {
  const found = new Map(one.overwritten.map((entry) => [entry.name, entry]))
  for (const entry of other.overwritten) {
    const { name, rows } = entry
    const known = found.get(name)
    found.set(name, known === undefined ? entry : { ...known, rows: known.rows + rows })
  }
  return { rows: one.rows + other.rows, overwritten: [...found.values()] }
}
