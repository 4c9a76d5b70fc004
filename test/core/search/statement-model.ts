/**
 * Evaluates the predicates that `selectStatement` writes for one row: `column IN (literals)`, `column = literal`, AND,
 * OR and parentheses. Throws on any other text.
 */

export type RowOfRates = Readonly<Record<string, string | number>>

type Token = { readonly kind: 'literal' | 'number' | 'word' | 'mark'; readonly text: string }

const tokenShape = /'((?:[^']|'')*)'|(\d+)|([A-Za-z_]+)|([(),=])/suy

function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  const shape = new RegExp(tokenShape)
  for (let rest = skipSpace(sql, 0); rest < sql.length; rest = skipSpace(sql, shape.lastIndex)) {
    shape.lastIndex = rest
    const [, literal, number, word, mark] = shape.exec(sql) ?? []
    if (literal !== undefined) tokens.push({ kind: 'literal', text: literal.replaceAll("''", "'") })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word })
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark })
    else throw new Error(`no SQL at ${sql.slice(rest, rest + 40)}`)
  }
  return tokens
}

function skipSpace(sql: string, from: number): number {
  let at = from
  while (sql[at] === ' ' || sql[at] === '\n') at += 1
  return at
}

/** The text after `WHERE` of a SELECT, without the part about sources or columns before it. */
export function whereOf(select: string): string {
  const at = select.indexOf('\nWHERE ')
  if (at < 0) throw new Error('there is no WHERE')
  return select.slice(at + '\nWHERE '.length)
}

/** Reads a predicate once, and returns whether a row meets it. */
export function readPredicate(predicate: string): (row: RowOfRates) => boolean {
  const tokens = tokensOf(predicate)
  return (row) => meets(tokens, row)
}

function meets(tokens: readonly Token[], row: RowOfRates): boolean {
  let at = 0
  const take = (text?: string): Token => {
    const token = tokens[at]
    if (token === undefined || (text !== undefined && token.text !== text)) throw new Error(`${text} is missing`)
    at += 1
    return token
  }
  const isNext = (text: string) => tokens[at]?.kind !== 'literal' && tokens[at]?.text === text

  const value = (): string | number => {
    const { kind, text } = take()
    if (kind === 'literal') return text
    if (kind === 'number') return Number(text)
    throw new Error(`${text} is no value`)
  }
  const values = (): (string | number)[] => {
    take('(')
    const all = [value()]
    while (isNext(',')) {
      take(',')
      all.push(value())
    }
    take(')')
    return all
  }
  const comparison = (): boolean => {
    const { text: column } = take()
    const found = row[column]
    if (found === undefined) throw new Error(`there is no column ${column}`)
    if (isNext('=')) {
      take('=')
      return found === value()
    }
    take('IN')
    return values().includes(found)
  }
  const term = (): boolean => {
    if (!isNext('(')) return comparison()
    take('(')
    const inner = either()
    take(')')
    return inner
  }
  const both = (): boolean => {
    let all = term()
    while (isNext('AND')) {
      take('AND')
      all = term() && all
    }
    return all
  }
  const either = (): boolean => {
    let some = both()
    while (isNext('OR')) {
      take('OR')
      some = both() || some
    }
    return some
  }
  const outcome = either()
  if (at !== tokens.length) throw new Error('there is more than one predicate')
  return outcome
}
