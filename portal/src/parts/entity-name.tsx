import { selfEntity } from '../../../src/model/self-history.ts'

/** Distinguishes the service's own history from pushed data. */
export const isOwn = (name: string): boolean => name === selfEntity

/** The name of an entity or ingest, with a label if it is the service's own. */
export function EntityName({ name }: { readonly name: string }) {
  return (
    <>
      {name} {isOwn(name) && <span class="label-tag">the service’s own</span>}
    </>
  )
}
