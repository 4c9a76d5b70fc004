/** Escaped HTML, as returned by `html`. It can be embedded in other HTML without escaping it again. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | readonly Html[]

/** Template tag for HTML. Escapes interpolated text for use in elements and in double-quoted attributes. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    literals.map((literal, index) => literal + (index < parts.length ? write(parts[index]) : '')).join(''),
  )
}

export const nothing = new Html('')

function write(part: Part | undefined): string {
  if (part === undefined) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return String(part).replace(/[&<>"]/g, (character) => entities[character] ?? '')
}

/** Renders the Markdown subset that descriptions use: paragraphs, one-level lists, code in backticks. */
export function renderText(text: string): Html {
  const blocks = text.split('\n\n').map((block) => {
    if (!block.startsWith('- ')) return html`<p>${renderLine(block)}</p>\n`
    const items = block.split('\n').map((line) => html`<li>${renderLine(line.slice(2))}</li>\n`)
    return html`<ul>\n${items}</ul>\n`
  })
  return html`${blocks}`
}

/** One line of a description. */
export function renderLine(text: string): Html {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return html`${parts}`
}
