import { isDoubtful } from '../../schema/summary/definition.ts'
import { flagShapes, shapeNames } from './price-shapes.ts'

interface SymbolProps {
  /** The flag whose shape is drawn. @default - none: a dot */
  readonly flag?: string | undefined
  /** Place of its middle, such as `40%`. */
  readonly x: string | number
  readonly y: number
}

/** Draws a price: a dot, or the shape of its flag. */
export function PriceSymbol({ flag, x, y }: SymbolProps) {
  if (flag === undefined) return <circle class="price" cx={x} cy={y} r={3.75} />
  return (
    <svg
      aria-hidden="true"
      x={x}
      y={y}
      overflow="visible"
      class={`flagged ${isDoubtful([flag]) ? 'doubtful' : ''} ${flag}`}
    >
      <path d={flagShapes[flag]?.path} />
    </svg>
  )
}

const diamond = 'M0-7 7 0 0 7-7 0Z'

interface DiamondProps {
  readonly x: string
  readonly y: number
  /** Height of the line through it. */
  readonly height: number
}

/** Highlights what the reader looks for, with a line to compare it with the quartiles. */
export const Diamond = ({ x, y, height }: DiamondProps) => (
  <svg aria-hidden="true" x={x} overflow="visible" class="wanted">
    <path d={`M0 0V${height}`} />
    <svg aria-hidden="true" y={y} overflow="visible">
      <path d={diamond} />
    </svg>
  </svg>
)

/** The symbol of a highlight, beside the words for its position. */
export const HighlightKey = () => (
  <svg aria-hidden="true" class="key wanted">
    <svg aria-hidden="true" x={8} y={8} overflow="visible">
      <path d={diamond} />
    </svg>
  </svg>
)

/** Explains the shapes of the flags that are drawn. */
export function ShapeLegend({ flags }: { readonly flags: ReadonlySet<string> }) {
  const drawn = shapeNames.filter((flag) => flags.has(flag))
  if (drawn.length === 0) return null
  return (
    <ul aria-label="Marks of flagged prices">
      {drawn.map((flag) => (
        <li key={flag}>
          <svg aria-hidden="true" class="key">
            <PriceSymbol flag={flag} x={8} y={8} />
          </svg>
          {flagShapes[flag]?.words}
        </li>
      ))}
    </ul>
  )
}
