// Messages of the service suggest requests. For users of the command line they are replaced by the matching commands.

/** Requests that the service's messages name, and the commands that send them. A name in braces matches any name, which the command repeats. */
export const commandsOfRequests: readonly (readonly [request: string, command: string])[] = [
  ['GET /admin/entities', 'entities retentions'],
  ['GET /admin/entities/{name}/deletions', 'entities deletions {name}'],
  ['GET /admin/hooks', 'hooks list'],
  ['GET /admin/ingests', 'ingests list'],
  ['GET /admin/ingests/{alias}/rejected', 'rejected list {alias}'],
  ['GET /admin/subscribers', 'subscribers list'],
  ['GET /consumer/data/entities', 'entities list'],
  ['GET /consumer/metadata/{table}', 'metadata items {table}'],
  ['GET /subscription', 'subscriptions mine'],
  ['POST /admin/ingests', 'ingests create'],
  ['POST /consumer/metadata', 'metadata list'],
]

/** A path must not continue here; a full stop may follow. */
const pathEnd = '(?![\\w/-])'

const patterns = commandsOfRequests.map(
  ([request, command]) =>
    [new RegExp(`\\b${request.replace(/\{\w+\}/g, '([^\\s/,;:]+)')}${pathEnd}`, 'g'), command] as const,
)

/** A message of the service with its requests replaced by commands. */
export function inCommands(message: string): string {
  return patterns.reduce(
    (text, [pattern, command]) =>
      text.replace(pattern, (_, name: unknown) => {
        const whole = typeof name === 'string' ? command.replace(/\{\w+\}/, () => name) : command
        return `"tidemark ${whole}"`
      }),
    message,
  )
}
