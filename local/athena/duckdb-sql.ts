import type { Condition, Expression, Literal, Select, TypeName } from './syntax.ts'
import type { OutputColumn } from './type-check.ts'

/** Writes checked statements in DuckDB's SQL. Only what the parser understood gets through, never a client's text. */

/** @param outputs what `checkSelect` made of the SELECT's items */
export function writeSelect({ relation, where, orderBy, limit }: Select, outputs: readonly OutputColumn[]): string {
  const items = outputs.map(({ expression, name }) => `${writeExpression(expression)} AS ${quoteName(name || '_col')}`)
  const clauses = [`SELECT ${items.join(', ')}`, `FROM ${quoteName(relation.name)}`]
  if (where !== undefined) clauses.push(`WHERE ${writeCondition(where)}`)
  if (orderBy.length > 0) {
    const orderings = orderBy.map(({ column, direction }) => `${quoteName(column.name)} ${direction} NULLS LAST`)
    clauses.push(`ORDER BY ${orderings.join(', ')}`)
  }
  if (limit !== undefined) clauses.push(`LIMIT ${limit}`)
  return clauses.join('\n')
}

/** A name as DuckDB reads it, whatever characters it has. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as DuckDB reads it. A NUL would end the whole statement, so it is put together from its code. */
export function quoteText(text: string): string {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts.join('') : `(${parts.join(' || chr(0) || ')})`
}

/** A type in DuckDB's spelling. Only lists are spelt otherwise. */
export function writeType(type: TypeName): string {
  const element = /^array\((.*)\)$/.exec(type)?.[1]
  return element === undefined ? type : `${writeType(element)}[]`
}

/** A type in Trino's spelling, for a column that DuckDB describes. */
export function readType(duckdbType: string): TypeName {
  const element = /^(.*)\[\]$/.exec(duckdbType)?.[1]
  if (element !== undefined) return `array(${readType(element)})`
  return duckdbType === 'FLOAT' ? 'real' : duckdbType.toLowerCase()
}

function writeExpression(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
      return quoteName(expression.name)
    case 'cast':
      return `CAST(${writeExpression(expression.operand)} AS ${writeType(expression.type)})`
    case 'floor-random':
      return `floor(random() * ${expression.factor})`
    default:
      return writeLiteral(expression)
  }
}

function writeLiteral(literal: Literal): string {
  switch (literal.kind) {
    case 'string':
      return quoteText(literal.value)
    case 'integer':
      return String(literal.value)
    case 'date':
      return `DATE ${quoteText(literal.value)}`
    case 'null':
      return 'NULL'
  }
}

function writeCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${condition.terms.map(writeCondition).join(condition.kind === 'and' ? ' AND ' : ' OR ')})`
    case 'equals':
      return `${quoteName(condition.column.name)} = ${writeLiteral(condition.literal)}`
    case 'in':
      return `${quoteName(condition.column.name)} IN (${condition.literals.map(writeLiteral).join(', ')})`
  }
}
