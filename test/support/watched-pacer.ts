import { Pacer } from '../../src/lib/pacer.ts'

/** Notes how much is done at a slice, in the pacer's units: what a computation tells it of at once, it has done without a rest. */
export class WatchedPacer extends Pacer {
  stepMax = 0
  spent = 0

  override spend(units: number): boolean {
    this.stepMax = Math.max(this.stepMax, units)
    this.spent += units
    return super.spend(units)
  }
}
