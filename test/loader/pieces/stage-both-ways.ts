import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { FileFinder } from '../../../loader/files/file-finder.ts'
import type { Cutting } from '../../../loader/pieces/stage-in-pieces.ts'
import { stageInPieces } from '../../../loader/pieces/stage-in-pieces.ts'
import { stagePiece } from '../../../loader/pieces/stage-piece.ts'
import type { StagedFile, StageOptions } from '../../../loader/staging/stage-file.ts'
import { stageFile } from '../../../loader/staging/stage-file.ts'
import { sourceTables } from '../../../schema/columns/warehouse-tables.ts'

export interface BothWays {
  /** What a load is told, or the message of its refusal. */
  readonly whole: StagedFile | string
  /** Undefined if the file is left to `stageFile`. */
  readonly cut: StagedFile | string | undefined
  /** Rows that only one of the two has: of the tables as a search joins them. */
  readonly differences: unknown
  /** The files of the tables that were written in pieces, and what is left in scratch. */
  readonly files: readonly string[]
  readonly scratch: readonly string[]
}

/** Stages a file as a whole and in pieces, each in a folder that is removed. */
export async function stageBothWays(
  path: string,
  options: Partial<StageOptions>,
  cutting: Partial<Cutting>,
): Promise<BothWays> {
  const folder = await mkdtemp(join(tmpdir(), 'pieces-'))
  try {
    const finder = await FileFinder.open([path], undefined)
    const all = { finder, partial: false, maxSkipped: 1, strict: false, ...options }
    const staged = async (name: string) => {
      const fileOf = (table: { readonly name: string }, part = 0) =>
        join(folder, name, table.name, `part-${part}.parquet`)
      const scratch = join(folder, name, 'scratch')
      for (const each of [scratch, ...sourceTables.map((table) => dirname(fileOf(table)))])
        await mkdir(each, { recursive: true })
      return { scratch, fileOf }
    }
    const whole = await stageFile(path, await staged('whole'), all).catch(String)
    const sizes = { smallest: 1, largest: 100 }
    const cut = await stageInPieces(path, await staged('cut'), all, { width: 2, sizes, stagePiece, ...cutting }).catch(
      String,
    )
    const isBoth = typeof whole === 'object' && typeof cut === 'object'
    const files = await Promise.all(sourceTables.map(({ name }) => readdir(join(folder, 'cut', name))))
    return {
      ...{ whole, cut, files: files.flat() },
      differences: isBoth ? await compareRows(join(folder, 'whole'), join(folder, 'cut')) : undefined,
      scratch: await readdir(join(folder, 'cut', 'scratch')),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Keys of groups differ, because inline groups belong to a part of a file. */
const rowsOf = (folder: string) => `(
  SELECT prices.* EXCLUDE (provider_group_key), groups.* EXCLUDE (provider_group_key)
  FROM '${folder}/negotiated_rates/*.parquet' AS prices
  JOIN '${folder}/provider_groups/*.parquet' AS groups USING (provider_group_key))`

async function compareRows(whole: string, cut: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    const [a, b] = [rowsOf(whole), rowsOf(cut)]
    const reader = await connection.runAndReadAll(
      `(SELECT 'missing' AS what, * FROM (FROM ${a} EXCEPT ALL FROM ${b}) LIMIT 3)
      UNION ALL (SELECT 'surplus' AS what, * FROM (FROM ${b} EXCEPT ALL FROM ${a}) LIMIT 3)`,
    )
    return reader.getRowsJson()
  } finally {
    instance.closeSync()
  }
}
