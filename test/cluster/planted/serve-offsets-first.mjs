// Serves with a planted bug: a pipeline that commits how far it has come before, and apart from, the rows that it has validated.
import { setTimeout as sleep } from 'node:timers/promises'
import { TransactionalProducer } from '../../../src/kafka/transactional-producer.ts'
import { serve } from '../../../src/service/serve.ts'
import { flagsOf } from '../../crash/planted/flags.mjs'

const { commit } = TransactionalProducer.prototype
TransactionalProducer.prototype.commit = async function (batches, reached, signal) {
  await commit.call(this, [], reached, signal)
  await sleep(300)
  await commit.call(this, batches, reached, signal)
}
process.exitCode = await serve({ flags: flagsOf(process.argv), environment: process.env, overrides: {} })
