// The query editor, loaded when a page shows it. It is in a shadow root with adopted style sheets, because the page's content security policy forbids
// inline styles.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { PostgreSQL, SQLDialect, sql } from '@codemirror/lang-sql'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Functions of Druid's SQL that the editor completes; docs/druid-sql.md lists all. */
const functionNames = (
  'ABS APPROX_COUNT_DISTINCT APPROX_QUANTILE_DS ARRAY_AGG AVG BTRIM CASE CAST CEIL CHAR_LENGTH COALESCE CONCAT CONTAINS_STRING ' +
  'COUNT CURRENT_TIMESTAMP DATE_TRUNC EARLIEST EARLIEST_BY EXTRACT FLOOR GREATEST IFNULL LATEST LATEST_BY LEAST LEFT LENGTH ' +
  'LIKE LN LOG10 LOWER LPAD LTRIM MAX MILLIS_TO_TIMESTAMP MIN MOD NTILE NULLIF NVL PARSE_LONG POSITION POWER RANK REGEXP_EXTRACT ' +
  'REGEXP_LIKE REGEXP_REPLACE REPLACE REVERSE RIGHT ROUND ROW_NUMBER RPAD RTRIM SAFE_DIVIDE SQRT STDDEV STDDEV_POP STDDEV_SAMP ' +
  'STRING_AGG STRPOS SUBSTRING SUM TIME_CEIL TIME_EXTRACT TIME_FLOOR TIME_FORMAT TIME_IN_INTERVAL TIME_PARSE TIME_SHIFT TIMESTAMPADD ' +
  'TIMESTAMPDIFF TIMESTAMP_TO_MILLIS TRIM TRUNCATE UPPER VAR_POP VAR_SAMP VARIANCE'
).split(' ')

export interface EditorOptions {
  readonly parent: HTMLElement
  readonly label: string
  readonly text: string
  readonly language: 'sql' | 'json'
  onText(text: string): void
  onRun(): void
}

/** A part of the text and its position, counted from 1. */
export interface Selected {
  readonly text: string
  readonly line: number
  readonly column: number
}

export interface Editor {
  set(text: string): void
  /** Null if nothing, or only white space, is selected. */
  selected(): Selected | null
  /** Replaces the selection. */
  insert(text: string): void
  /** Sets the names to complete: tables and their columns. */
  know(tables: Readonly<Record<string, string[]>>): void
  /** Marks a position, counted from 1; null removes the mark. */
  mark(fault: { readonly line: number; readonly column: number; readonly message: string } | null): void
  destroy(): void
}

const druid = SQLDialect.define({
  ...PostgreSQL.spec,
  builtin: functionNames.join(' ').toLowerCase(),
})

const look = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    fontSize: '13px',
    minHeight: '150px',
    maxHeight: '420px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto', minHeight: '150px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-soft)', border: 'none' },
  '.cm-placeholder': { color: 'var(--text-soft)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line)', color: 'var(--text)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.comment], color: 'var(--text-soft)', fontStyle: 'italic' },
])

export function openEditor({ parent, label, text, language, onText, onRun }: EditorOptions): Editor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  root.replaceChildren()
  const words = new Compartment()
  const known = (schema: Readonly<Record<string, string[]>>): Extension =>
    language === 'sql' ? sql({ dialect: druid, schema, upperCaseKeywords: true }) : []
  const run = (): boolean => {
    onRun()
    return true
  }
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: 'Mod-Enter', run },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        lintGutter(),
        syntaxHighlighting(colours),
        look,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        placeholder(language === 'sql' ? 'SELECT …' : '{ … }'),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && onText(state.doc.toString())),
        words.of(known({})),
      ],
    }),
  })
  return {
    set: (next) => {
      if (next === view.state.doc.toString()) return
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    selected: () => {
      const { from, to } = view.state.selection.main
      const text = view.state.sliceDoc(from, to)
      const line = view.state.doc.lineAt(from)
      return text.trim() === '' ? null : { text, line: line.number, column: from - line.from + 1 }
    },
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text))
      view.focus()
    },
    know: (tables) => view.dispatch({ effects: words.reconfigure(known(tables)) }),
    mark: (fault) => view.dispatch(setDiagnostics(view.state, fault === null ? [] : [diagnosticOf(view, fault)])),
    destroy: () => view.destroy(),
  }
}

function diagnosticOf(view: EditorView, fault: { line: number; column: number; message: string }): Diagnostic {
  const { doc } = view.state
  const line = doc.line(Math.min(Math.max(1, fault.line), doc.lines))
  const from = Math.min(line.from + Math.max(0, fault.column - 1), line.to)
  const word = /^[\w."']+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 1
  return { from, to: Math.min(doc.length, from + word), severity: 'error', message: fault.message }
}
