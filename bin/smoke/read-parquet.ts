import { zstdDecompressSync } from 'node:zlib'
import { type Compressors, parquetReadObjects } from 'hyparquet'

/** The loader compresses its files with ZSTD, which hyparquet leaves to others. */
const compressors: Compressors = { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) }

export type Row = Readonly<Record<string, unknown>>

/** Reads columns of a whole Parquet file. */
export const readRows = (file: ArrayBuffer, columns: readonly string[]): Promise<readonly Row[]> =>
  parquetReadObjects({ file, columns: [...columns], compressors })
