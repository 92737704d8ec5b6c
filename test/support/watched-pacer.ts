import { Pacer } from '../../src/lib/pacer.ts'

/** Records the amount of work per slice, in the pacer's units: work reported in one call was done without a pause. */
export class WatchedPacer extends Pacer {
  stepMax = 0
  spent = 0

  override spend(units: number): boolean {
    this.stepMax = Math.max(this.stepMax, units)
    this.spent += units
    return super.spend(units)
  }
}
