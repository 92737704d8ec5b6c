import { selfEntity } from '../../../src/model/self-history.ts'

/** The service's own history is told from what others pushed. */
export const isOwn = (name: string): boolean => name === selfEntity

/** The name of an entity or ingest, marked where it is the service's own. */
export function EntityName({ name }: { readonly name: string }) {
  return (
    <>
      {name} {isOwn(name) && <span class="label-tag">the service’s own</span>}
    </>
  )
}
