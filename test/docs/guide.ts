// Reads what a guide tells its reader to run: the commands of its blocks marked `console` and `sh`, with the answers that it shows.
// Comments of HTML in the guide, which no reader sees, say how it is run:
//   <!-- run: in a fresh folder -->           at the head: alone, with nothing set up before
//   <!-- run: with the demo -->               at the head: beside a running demo
//   <!-- run: after getting-started.md -->    at the head: in the same shell, once that guide has been followed
//   <!-- run: nothing, because ... -->        at the head: none of it is run here
//   <!-- not run: ... -->                     before a block, with the reason
//   <!-- saved as hourly.json -->             before a block: the reader saves it under this name
//   <!-- exits with 2 -->                     before a block: so does its last command

export interface GuideCommand {
  readonly line: number
  readonly text: string
  /** What the guide shows as its answer, null where it shows none. */
  readonly answer: string | null
  readonly exitCode: number
}

export interface SavedFile {
  readonly name: string
  readonly content: string
}

export interface Guide {
  /** What its head says after "run:", null where it says nothing. */
  readonly run: string | null
  readonly steps: readonly (GuideCommand | SavedFile)[]
}

const blockPattern = /^```(\w*)\n([\s\S]*?)^```$/gm

export function readGuide(text: string): Guide {
  const run = text.match(/^<!-- run: (.*) -->$/m)?.[1] ?? null
  const steps: (GuideCommand | SavedFile)[] = []
  for (const { 1: language = '', 2: body = '', index } of text.matchAll(blockPattern)) {
    const comment = text.slice(0, index).match(/<!-- (.*) -->\n$/)?.[1] ?? ''
    const line = text.slice(0, index).split('\n').length + 1
    const saved = comment.match(/^saved as (\S+)$/)?.[1]
    if (saved !== undefined) steps.push({ name: saved, content: body })
    else if (!comment.startsWith('not run: ')) steps.push(...commandsOf(language, body, line, comment))
  }
  return { run, steps }
}

function commandsOf(language: string, body: string, line: number, comment: string): GuideCommand[] {
  const commands =
    language === 'sh'
      ? [{ line, text: body, answer: null, exitCode: 0 }]
      : language === 'console'
        ? typed(body, line)
        : []
  const exitCode = comment.match(/^exits with (\d+)$/)?.[1]
  if (exitCode === undefined) return commands
  return commands.map((command, index) =>
    index === commands.length - 1 ? { ...command, exitCode: Number(exitCode) } : command,
  )
}

/** The commands of a terminal's text: a line that begins with "$ ", and more while its end is escaped or a quote is open. Then comes the answer. */
function typed(body: string, firstLine: number): GuideCommand[] {
  const commands: { line: number; text: string; answer: string | null; exitCode: number }[] = []
  let continues = false
  for (const [index, text] of body.trimEnd().split('\n').entries()) {
    const last = commands.at(-1)
    if (text.startsWith('$ '))
      commands.push({ line: firstLine + index, text: text.slice(2), answer: null, exitCode: 0 })
    else if (last === undefined) throw new Error(`line ${firstLine + index}: a terminal's text begins with "$ "`)
    else if (continues) last.text += `\n${text}`
    else last.answer = last.answer === null ? text : `${last.answer}\n${text}`
    const command = commands.at(-1)
    continues = command?.answer === null && isOpen(command.text)
  }
  return commands
}

function isOpen(command: string): boolean {
  return command.endsWith('\\') || command.split("'").length % 2 === 0
}

/** Whether what came is what the guide shows, in which "..." stands for anything. White space that lays it out does not count. */
export function isAsShown(shown: string, came: string): boolean {
  const isJson = /^[[{]/.test(shown)
  const laidOut = (text: string): string => (isJson ? text.replace(/\s+/g, '') : text.replace(/\s+/g, ' ').trim())
  const parts = laidOut(shown)
    .split('...')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(laidOut(came))
}
