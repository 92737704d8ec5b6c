// The service tells everybody which request helps; whoever types a command is told which command does.

/** Requests that messages of the service name, and the commands that send them. A name in braces is any one, and the command's too. */
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

/** A path ends where nothing of a path follows; a full stop may. */
const pathEnd = '(?![\\w/-])'

const patterns = commandsOfRequests.map(
  ([request, command]) =>
    [new RegExp(`\\b${request.replace(/\{\w+\}/g, '([^\\s/,;:]+)')}${pathEnd}`, 'g'), command] as const,
)

/** A message of the service with commands in place of the requests that it names. */
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
