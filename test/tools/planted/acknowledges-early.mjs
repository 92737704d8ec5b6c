// The program with a planted bug: messages are acknowledged to the broker before their rows are on disk.
import { Acknowledgements } from '../../../dist/mqtt/acknowledgements.js'

const { mapped } = Acknowledgements.prototype
Acknowledgements.prototype.mapped = function (message) {
  mapped.call(this, message, 0)
}
await import('../../../dist/main.js')
