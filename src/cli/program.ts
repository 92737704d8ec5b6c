import { Command } from 'commander'
import { packageVersion } from '../lib/own-package.ts'
import { addAcceptLoss } from './accept-loss.ts'
import { addAudit } from './audit.ts'
import { addBackup, addBackups } from './backup.ts'
import type { CliContext } from './context.ts'
import { addCopy } from './copy.ts'
import { addDemo } from './demo.ts'
import { addEntities } from './entities.ts'
import { addFollow } from './follow.ts'
import { addHooks } from './hooks.ts'
import { addIngests } from './ingests.ts'
import { addKeys } from './keys.ts'
import { addMcp } from './mcp.ts'
import { addMetadata } from './metadata.ts'
import { addMqtt } from './mqtt.ts'
import { addNative } from './native.ts'
import { addPush } from './push.ts'
import { addQuery } from './query.ts'
import { addReceipt } from './receipt.ts'
import { addRejected } from './rejected.ts'
import { addRestore } from './restore.ts'

import { addServe } from './serve.ts'
import { addSettings } from './settings.ts'
import { addSql } from './sql.ts'
import { addStorage } from './storage.ts'
import { addSubscribers } from './subscribers.ts'
import { addSubscriptions } from './subscriptions.ts'
import { addTags } from './tags.ts'
import { addVerify } from './verify.ts'

const examples = `
Exit codes: 0 success; 1 failure, also when the service refuses the request; 64 a missing or unknown
command or option, or a bad value. Some commands have more: see their --help.

Examples:
  tidemark demo                                 start a service with a week of data
  tidemark serve --data ./data                  start the service
  tidemark ingests create plant                 create a target for rows {D, T, V}
  tidemark push plant readings.csv              push the rows of a file
  tidemark query latest --entity plant          read the newest value of each tag
`

/** All commands. They use the context in place of the process. */
export function buildProgram(context: CliContext): Command {
  const program = new Command('tidemark')
    .description('Runs a time-series data service, and sends requests to one.')
    .version(packageVersion, '--version', 'show the version; --verbose shows more')
    .option('--url <url>', 'the address of the service (TIDEMARK_URL; default http://127.0.0.1:8080)')
    .option('--key <key>', 'the key to send (TIDEMARK_KEY)')
    .option('--debug', 'show the stack trace of an error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(--help shows what is possible)')
    .exitOverride()
    .addHelpText('after', examples)
  addServe(program, context)
  addDemo(program, context)
  addIngests(program, context)
  addPush(program, context)
  addMqtt(program, context)
  addReceipt(program, context)
  addRejected(program, context)
  addQuery(program, context)
  addSql(program, context)
  addNative(program, context)
  addFollow(program, context)
  addEntities(program, context)
  addStorage(program, context)
  addTags(program, context)
  addMetadata(program, context)
  addMcp(program, context)
  addSubscribers(program, context)
  addKeys(program, context)
  addSubscriptions(program, context)
  addCopy(program, context)
  addBackup(program, context)
  addBackups(program, context)
  addSettings(program, context)
  addAudit(program, context)
  addHooks(program, context)
  addRestore(program, context)
  addVerify(program, context)
  addAcceptLoss(program, context)
  return program
}
