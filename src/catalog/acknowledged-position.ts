import type { Catalog } from './catalog.ts'
import type { ManifestCatalog } from './manifest.ts'

interface AcknowledgingCatalog extends Pick<Catalog, 'outcomes'> {
  readonly manifest: Pick<ManifestCatalog, 'journalEnd'>
}

/** All rows before it were acknowledged, as far as the catalog knows; null when no journal has been opened yet. */
export async function acknowledgedPositionOf({ manifest, outcomes }: AcknowledgingCatalog) {
  const journalEnd = await manifest.journalEnd()
  const validatedPosition = await outcomes.validatedPosition()
  return journalEnd === null && validatedPosition === 0 ? null : Math.max(journalEnd ?? 0, validatedPosition)
}
