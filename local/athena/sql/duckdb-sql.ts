import type { Condition, Expression, Literal, Select, TypeName } from './syntax.ts'
import type { OutputColumn } from './type-check.ts'

/**
 * Writes checked statements as DuckDB SQL. All of it comes from the parsed statement; the client's text never reaches
 * DuckDB.
 */

/** @param outputs the result columns from `checkSelect` */
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

/** Quotes an identifier for DuckDB. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes a string for DuckDB. A NUL would terminate the statement, so it is written as `chr(0)`. */
export function quoteText(text: string): string {
  const parts = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`)
  return parts.length === 1 ? parts.join('') : `(${parts.join(' || chr(0) || ')})`
}

/** Converts a Trino type name to DuckDB's; only lists differ. */
export function writeType(type: TypeName): string {
  const element = /^array\((.*)\)$/.exec(type)?.[1]
  return element === undefined ? type : `${writeType(element)}[]`
}

/** Converts a DuckDB type name to Trino's. */
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
