/** HTML as text; what `html` makes is escaped and can be put into more of it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Html | readonly Html[]

/** Template for HTML: text is escaped, for elements and for attributes in double quotes. */
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

/** Descriptions in the little Markdown that they use: paragraphs, lists of one level, code in backticks. */
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
