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
  /** Replaces the text whenever the object changes. Otherwise the editor owns its text and reports it with `onText`. */
  readonly given: { readonly text: string }
  readonly tables?: Readonly<Record<string, string[]>>
  readonly fault: Fault | null
  /** Receives the editor's methods after it has loaded. */
  readonly control: { current: Pick<Editor, 'selected' | 'insert'> | null }
  onText(text: string): void
  onRun(): void
}

/** The editor for a query; Ctrl+Enter runs it. */
export function QueryEditor(props: Props) {
  const { label, language, given, tables, fault } = props
  const container = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    let closed = false
    void import('./editor.ts').then(({ openEditor }) => {
      if (closed || container.current === null) return
      editor.current = openEditor({
        parent: container.current,
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
  return <div ref={container} class="editor" />
}
