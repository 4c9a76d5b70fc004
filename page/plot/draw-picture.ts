import { at } from '../../schema/at.ts'

/** The words of a picture, which stands alone where it is pasted. */
export interface PictureWords {
  readonly title: string
  readonly sentence: string
  /** Says what is priced alike, and under the plot where the numbers come from and how they are counted. */
  readonly caption: string
  readonly source: readonly string[]
}

/** Sizes in pixels: the whole width, the free border, and the width between. */
const [width, border] = [1200, 48]
const inner = width - 2 * border

/** The kinds of text: their size and weight, the height of a line, and the variable of the page with their colour. */
const kinds = {
  title: { font: '650 24px', line: 32, fill: '--ink' },
  sentence: { font: '400 19px', line: 27, fill: '--ink' },
  heading: { font: '600 15px', line: 20, fill: '--ink' },
  quiet: { font: '400 14px', line: 20, fill: '--soft' },
  place: { font: '400 14px', line: 20, fill: '--highlight' },
} as const

type Kind = keyof typeof kinds

const namespace = 'http://www.w3.org/2000/svg'

/**
 * Draws a plot as it is on the page, with its words, as an SVG of its own. It has the styles of the page, but not those
 * that a dark mode or forced colours add, so that it is readable wherever it is pasted.
 */
export function drawPicture(figure: HTMLElement, words: PictureWords): SVGSVGElement {
  const picture = new Picture()
  picture.write('title', words.title)
  picture.write('sentence', words.sentence)
  picture.skip(8)
  picture.write('quiet', words.caption)
  for (const strip of figure.querySelectorAll('.strip')) drawStrip(picture, strip)
  const axis = figure.querySelector<SVGSVGElement>('svg.axis')
  picture.drawRule()
  if (axis !== null) picture.copy(axis, 28)
  const hasHues = figure.querySelector('.legend.hue-none') !== null
  picture.writeLegend([...figure.querySelectorAll('.legend li')], hasHues ? 'hue-none' : '')
  picture.skip(12)
  for (const line of words.source) picture.write('quiet', line)
  return picture.finish()
}

function drawStrip(picture: Picture, strip: Element): void {
  picture.skip(12)
  const hue = [...strip.classList].find((name) => name.startsWith('hue-'))
  if (hue !== undefined) picture.drawSwatch(hue)
  const names = [...strip.querySelectorAll('.label bdi')].map((name) => name.textContent)
  picture.write('heading', names.join(' · '), hue === undefined ? 0 : 18)
  picture.write('quiet', strip.querySelector('.said > :first-child')?.textContent ?? '')
  const plot = strip.querySelector<SVGSVGElement>('[role="slider"] > svg')
  if (plot !== null) picture.copy(plot, plot.height.baseVal.value + 4, strip.className)
  const place = strip.querySelector('.place')
  if (place === null) return
  const key = place.querySelector('svg')
  if (key !== null) picture.copy(key, 0)
  picture.write('place', place.textContent.trim(), 24)
}

/** An SVG that grows line by line. */
class Picture {
  readonly #root = create('svg', { width })
  readonly #ruler = document.createElement('canvas').getContext('2d')
  /** The fonts of the page. */
  readonly #fonts = getComputedStyle(document.documentElement).fontFamily
  #y = border

  constructor() {
    const style = create('style', {})
    style.textContent = listRules(this.#fonts)
    this.#root.append(style, create('rect', { width: '100%', height: '100%', class: 'ground' }))
  }

  skip(pixels: number): void {
    this.#y += pixels
  }

  /** Writes a text, in several lines if it is long. */
  write(kind: Kind, text: string, indent = 0): void {
    const { line } = kinds[kind]
    for (const words of this.#wrap(kind, text, inner - indent)) {
      const element = create('text', { x: border + indent, y: this.#y + line * 0.75, class: `words-${kind}` })
      element.textContent = words
      this.#root.append(element)
      this.#y += line
    }
  }

  /** Copies a drawing of the page to the current line, which grows by the height. */
  copy(drawing: SVGSVGElement, height: number, group = ''): void {
    const frame = create('svg', {
      x: border,
      y: this.#y,
      width: inner,
      height: Math.max(height, 16),
      overflow: 'visible',
      class: group,
    })
    frame.append(drawing.cloneNode(true))
    this.#root.append(frame)
    this.#y += height
  }

  /** Draws a dot in a hue at the start of the current line. */
  drawSwatch(hue: string): void {
    const group = create('g', { class: hue })
    group.append(create('circle', { cx: border + 6, cy: this.#y + kinds.heading.line / 2, r: 5, class: 'swatch' }))
    this.#root.append(group)
  }

  /** Draws a line over the whole width. */
  drawRule(): void {
    const [x1, x2, y] = [border, width - border, this.#y + 4]
    this.#root.append(create('line', { x1, x2, y1: y, y2: y, class: 'rule' }))
    this.#y += 4
  }

  /** Writes symbols, each with its meaning, beside each other as far as there is room. */
  writeLegend(items: readonly Element[], group: string): void {
    let x = 0
    for (const item of items) {
      const text = item.textContent
      const room = this.#measure('quiet', text) + 52
      if (x > 0 && x + room > inner) {
        x = 0
        this.#y += kinds.quiet.line
      }
      const key = item.querySelector('svg')
      const place = create('svg', { x: border + x, y: this.#y + 2, overflow: 'visible', class: group })
      if (key !== null) place.append(key.cloneNode(true))
      const words = create('text', { x: 24, y: 13, class: 'words-quiet' })
      words.textContent = text
      place.append(words)
      this.#root.append(place)
      x += room
    }
    if (items.length > 0) this.#y += kinds.quiet.line
  }

  finish(): SVGSVGElement {
    const height = Math.ceil(this.#y + border)
    this.#root.setAttribute('height', String(height))
    this.#root.setAttribute('viewBox', `0 0 ${width} ${height}`)
    return this.#root
  }

  #wrap(kind: Kind, text: string, room: number): readonly string[] {
    const lines: string[] = []
    for (const word of text.split(' ')) {
      const longer = lines.length === 0 ? word : `${at(lines, lines.length - 1)} ${word}`
      if (lines.length > 0 && this.#measure(kind, longer) <= room) lines[lines.length - 1] = longer
      else lines.push(word)
    }
    return lines
  }

  #measure(kind: Kind, text: string): number {
    const ruler = this.#ruler
    if (ruler === null) throw new TypeError('this browser cannot measure text')
    ruler.font = `${kinds[kind].font} ${this.#fonts}`
    return ruler.measureText(text).width
  }
}

function create<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(namespace, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** Rules of the picture: a white ground, no highlight under the pointer, and symbols that may reach over an edge. */
const pictureRules = [
  '.ground{fill:#fff}',
  '.rule{stroke:var(--edge)}',
  '.active{display:none}',
  '.swatch{fill:var(--plan)}',
  'svg{overflow:visible}',
]

/** Lists the rules of the page outside of media queries, and those of the picture's own texts. */
function listRules(fonts: string): string {
  const pageRules = [...document.styleSheets].flatMap(({ cssRules }) =>
    [...cssRules].flatMap((rule) => (rule instanceof CSSStyleRule ? rule.cssText : [])),
  )
  const ownRules = Object.entries(kinds).map(
    ([kind, { font, fill }]) => `.words-${kind}{font:${font} ${fonts};fill:var(${fill})}`,
  )
  return [...pageRules, ...ownRules, ...pictureRules].join('\n')
}
