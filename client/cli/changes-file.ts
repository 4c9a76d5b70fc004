import { open, rm } from 'node:fs/promises'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { UsageError } from '../command-line/command-errors.ts'
import { codeOf } from '../errors.ts'
import { changeColumns } from '../results/comparison/change-columns.ts'
import type { Change } from '../results/comparison/price-changes.ts'
import { amountScale } from '../results/comparison/price-index.ts'

type TextColumn = Exclude<(typeof changeColumns)[number], 'percent' | 'old' | 'new'>

const isText = (name: (typeof changeColumns)[number]): name is TextColumn =>
  name !== 'percent' && name !== 'old' && name !== 'new'

/**
 * Writes changes as Parquet, with amounts as decimal(18,4), as results have them.
 *
 * @throws UsageError if the file exists or cannot be written
 */
export async function writeChangesFile(path: string, changes: readonly Change[]): Promise<void> {
  const texts = changeColumns.filter(isText)
  const sides = ['old', 'new'] as const
  const optional = { repetition_type: 'OPTIONAL' } as const
  const decimal = { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: amountScale } as const
  const bytes = parquetWriteBuffer({
    columnData: [
      ...texts.map((name) => ({ name, data: changes.map((each) => each[name]) })),
      ...sides.map((name) => ({
        name,
        data: changes.map((each) => each[name].map((amount) => amount.unscaledAt(amountScale))),
      })),
      { name: 'percent', data: changes.map(({ percent }) => percent) },
    ],
    schema: [
      { name: 'root', num_children: texts.length + sides.length + 1 },
      ...texts.map((name) => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', ...optional }) as const),
      ...sides.flatMap((name) => [
        { name, num_children: 1, converted_type: 'LIST', ...optional } as const,
        { name: 'list', num_children: 1, repetition_type: 'REPEATED' } as const,
        { name: 'element', ...decimal, ...optional } as const,
      ]),
      { name: 'percent', type: 'DOUBLE', ...optional },
    ],
  })
  await writeNewFile(path, new Uint8Array(bytes))
}

/**
 * Writes a file that must not exist, and leaves nothing of it behind if that fails.
 *
 * @throws UsageError
 */
async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const fail = (error: unknown) => {
    const code = codeOf(error)
    const fault = code === 'EEXIST' ? 'exists; name another file' : `cannot be written: ${code}`
    throw new UsageError(`--out: ${path} ${fault}`)
  }
  const file = await open(path, 'wx').catch(fail)
  try {
    await file.writeFile(bytes)
  } catch (error) {
    await rm(path)
    fail(error)
  } finally {
    await file.close()
  }
}
