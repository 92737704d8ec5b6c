// The main program with a planted bug: it acknowledges messages to the broker before their rows are on disk.
import { Acknowledgements } from '../../../src/mqtt/acknowledgements.ts'

const { mapped } = Acknowledgements.prototype
Acknowledgements.prototype.mapped = function (message) {
  mapped.call(this, message, 0)
}
await import('../../../src/main.ts')
