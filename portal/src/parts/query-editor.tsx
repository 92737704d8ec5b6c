import { useEffect, useRef } from 'preact/hooks'
import type { Editor } from './editor.ts'

export interface Fault {
  readonly line: number
  readonly column: number
  readonly message: string
}

interface Props {
  readonly label: string
  readonly language: 'sql' | 'json'
  /** What is written into it: a new object is a new text. What it holds otherwise is its own, and told by `onText`. */
  readonly given: { readonly text: string }
  readonly tables?: Readonly<Record<string, string[]>>
  readonly fault: Fault | null
  /** What it is asked by, once it is there. */
  readonly control: { current: Pick<Editor, 'selected' | 'insert'> | null }
  onText(text: string): void
  onRun(): void
}

/** Where a query is written; Ctrl and Enter run it. */
export function QueryEditor(props: Props) {
  const { label, language, given, tables, fault } = props
  const room = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    let closed = false
    void import('./editor.ts').then(({ openEditor }) => {
      if (closed || room.current === null) return
      editor.current = openEditor({
        parent: room.current,
        label,
        language,
        text: latest.current.given.text,
        onText: (next) => latest.current.onText(next),
        onRun: () => latest.current.onRun(),
      })
      editor.current.know(latest.current.tables ?? {})
      latest.current.control.current = editor.current
    })
    return () => {
      closed = true
      editor.current?.destroy()
      editor.current = null
      latest.current.control.current = null
    }
  }, [label, language])
  useEffect(() => editor.current?.set(given.text), [given])
  useEffect(() => editor.current?.know(tables ?? {}), [tables])
  useEffect(() => editor.current?.mark(fault), [fault])
  return <div ref={room} class="editor" />
}
