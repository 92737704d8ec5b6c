import { Pacer } from '../../../lib/pacer.ts'

/** A run takes more than one slice. */
export class LongRunError extends Error {
  override readonly name = 'LongRunError'
}

/** For runs that are begun anew elsewhere when they turn out long: who would have to rest ends instead. */
export class BriefPacer extends Pacer {
  override async rest(): Promise<void> {
    throw new LongRunError('the run takes longer than one slice')
  }
}
