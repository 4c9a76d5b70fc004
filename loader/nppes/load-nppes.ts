import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { NppesMonth } from '../../core/nppes/nppes-months.ts'
import { ChunkReader } from '../../fetch/chunk-reader.ts'
import { isRemote } from '../../fetch/file-address.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import { directoryTable, nppesMonthUnit, providersTable } from '../../schema/columns/providers-table.ts'
import { convertNppes, maxHeaderBytes, type NppesCounts } from './convert-nppes.ts'
import { changeNppesMonths, cleanNppesMonths, type NppesMonthDeps } from './manage-nppes-months.ts'
import { NppesRefused, readHeader, selectItems } from './nppes-columns.ts'

export interface NppesRequest {
  /** A path or address: CSV, gzip, or CMS's zip. */
  readonly path: string
  /** `YYYY-MM`. @default - that of the file's name */
  readonly month?: string | undefined
  /** True to replace the active month by a file with far fewer NPIs. */
  readonly replace?: boolean | undefined
  /** True to replace the active month by an older one. */
  readonly allowOlder?: boolean | undefined
}

export interface NppesDeps extends NppesMonthDeps, Pick<ReadingOptions, 'remote' | 'signal'> {
  readonly onStep?: (step: string) => void
}

/** A file with a smaller share of the NPIs that are active is a weekly update, or cut. */
const minShare = 0.5

/** Name of the data file in CMS's zip, which has further files for headers, other names, locations and endpoints. */
const dataFile = /(?:^|\/)npidata_pfile_\d{8}-(\d{4})(\d{2})\d{2}\.csv$/i

/**
 * Loads a monthly file of NPPES and makes it active. Searches that run keep reading the one before.
 *
 * @throws NppesRefused, LoadRefused
 */
export async function loadNppes(
  { path, month, replace, allowOlder }: NppesRequest,
  deps: NppesDeps,
): Promise<NppesCounts & { readonly nppesMonth: NppesMonth }> {
  const { warehouse, contents, newId, now, signal, onStep = () => undefined } = deps
  const nppesMonthId = newId()
  await using workspace = await warehouse.openWorkspace(nppesMonthUnit(nppesMonthId))
  const { scratch } = workspace
  const { csv, name, published } = await openCsv(path, month, scratch, deps)
  if (!allowOlder) refuseOlder(published, (await contents.readNppesMonths())?.active)
  onStep(`reading ${name}`)
  const into = { providers: workspace.fileOf(providersTable, 0), directory: workspace.fileOf(directoryTable, 0) }
  const conversion = await convertNppes({ csv, scratch, into, nppesMonthId, signal })
  const { bytes, directory, rowGroupRows, ...counts } = conversion
  const { active } = (await contents.readNppesMonths()) ?? {}
  if (active !== undefined && counts.rows < minShare * active.rows && !replace)
    throw new NppesRefused(
      `${name} has ${counts.rows} active NPIs and ${active.month} has ${active.rows}: it may be a weekly update; --replace loads it`,
    )
  onStep(`publishing ${counts.rows} NPIs`)
  await workspace.publish()
  signal?.throwIfAborted()
  const measures = { rows: counts.rows, bytes, directory, rowGroupRows }
  const nppesMonth = { nppesMonthId, month: published, ...measures, loadedAt: now() }
  await changeNppesMonths(deps, (active, replaced) => {
    // Another command may have loaded a newer month meanwhile.
    if (!allowOlder) refuseOlder(published, active)
    return { active: nppesMonth, replaced }
  })
  await cleanNppesMonths(deps)
  return { ...counts, nppesMonth }
}

/**
 * Opens the file as plain CSV: itself, or unpacked into a folder once its header and its name are known to be right.
 *
 * @throws NppesRefused, LoadRefused
 */
async function openCsv(
  path: string,
  month: string | undefined,
  scratch: string,
  { remote, signal, onStep }: NppesDeps,
) {
  let entry: string | undefined
  const isWanted = (name: string) => {
    const isData = dataFile.test(name)
    if (isData) entry = name
    return isData
  }
  await using file = await openPublishedBytes(path, { remote, signal, isWanted })
  const text = new ChunkReader(file.chunks)
  selectItems(readHeader(await text.peek(maxHeaderBytes)))
  const name = entry ?? file.name
  const published = month ?? monthOf(name)
  if (/\.csv$/i.test(path) && !isRemote(path)) return { csv: path, name, published }
  onStep?.(`unpacking ${file.name}`)
  const csv = join(scratch, 'npidata.csv')
  await pipeline(text.rest(), createWriteStream(csv), { ...(signal && { signal }) })
  return { csv, name, published }
}

/**
 * Refuses a month before the active one, and any if nobody can tell.
 *
 * @throws NppesRefused
 */
function refuseOlder(month: string, active: NppesMonth | undefined): void {
  if (active === undefined || (isMonth(active.month) && month >= active.month)) return
  throw new NppesRefused(
    isMonth(active.month)
      ? `it is of ${month}, and ${active.month} is active: load a newer file, or use --allow-older if this one is right`
      : `the active month is ${JSON.stringify(active.month)}, which cannot be compared with ${month}: use --allow-older if the file is not older`,
  )
}

/** True for a month of the calendar, as `2026-11`. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text)

function monthOf(name: string): string {
  const [, year, month] = dataFile.exec(name.replace(/\.gz$/i, '')) ?? []
  if (!isMonth(`${year}-${month}`))
    throw new NppesRefused(
      `the name ${name} does not say a month, as npidata_pfile_20050523-20261109.csv does: use --month`,
    )
  return `${year}-${month}`
}
