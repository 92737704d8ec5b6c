// The program with a planted bug: messages are acknowledged to the broker before their rows are on disk.
import { Acknowledgements } from '../../../dist/mqtt/acknowledgements.js'

const { take } = Acknowledgements.prototype
Acknowledgements.prototype.take = function (message) {
  return take.call(this, message, 0)
}
await import('../../../dist/main.js')
