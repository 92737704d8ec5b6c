import type { Catalog } from './catalog.ts'
import type { ManifestCatalog } from './manifest.ts'

interface VouchingCatalog extends Pick<Catalog, 'outcomes'> {
  readonly manifest: Pick<ManifestCatalog, 'journalEnd'>
}

/** All rows before it were acknowledged, as far as the catalog knows; null when no journal has been opened yet. */
export async function vouchedPositionOf({ manifest, outcomes }: VouchingCatalog) {
  const journalEnd = await manifest.journalEnd()
  const judgedPosition = await outcomes.judgedPosition()
  return journalEnd === null && judgedPosition === 0 ? null : Math.max(journalEnd ?? 0, judgedPosition)
}
