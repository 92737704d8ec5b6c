// Reads from a guide what its reader runs: the commands in its blocks marked `console` and `sh`, with the expected output.
// HTML comments in the guide, invisible to readers, control how it is run:
//   <!-- run: in a fresh folder -->           at the head: alone, without any setup
//   <!-- run: with the demo -->               at the head: next to a running demo
//   <!-- run: after getting-started.md -->    at the head: in the same shell, after that guide
//   <!-- run: nothing, because ... -->        at the head: none of it is run here
//   <!-- not run: ... -->                     before a block, with the reason
//   <!-- saved as hourly.json -->             before a block: the reader saves it under this name
//   <!-- exits with 2 -->                     before a block: the exit code of its last command

export interface GuideCommand {
  readonly line: number
  readonly text: string
  /** The output that the guide shows; null if it shows none. */
  readonly answer: string | null
  readonly exitCode: number
}

export interface SavedFile {
  readonly name: string
  readonly content: string
}

export interface Guide {
  /** The text after "run:" at its head; null if there is none. */
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

/** The commands in a terminal block: a line that begins with "$ ", with further lines while its end is escaped or a quote is open. The output follows. */
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

/** Whether the output matches the guide's, in which "..." matches anything. White space for layout is ignored. */
export function isAsShown(shown: string, came: string): boolean {
  const isJson = /^[[{]/.test(shown)
  const laidOut = (text: string): string => (isJson ? text.replace(/\s+/g, '') : text.replace(/\s+/g, ' ').trim())
  const parts = laidOut(shown)
    .split('...')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(laidOut(came))
}
