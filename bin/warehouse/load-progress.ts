import type { Progress } from '../../client/command-line/progress.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { toOneLine } from '../../fetch/load-refused.ts'
import type { LoadProgress } from '../../loader/publish/load-request.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'

/** Returns a function that shows how far a load is: a line for each file, and its bytes, prices and time left. */
export function showLoadProgress(
  line: Progress,
  now: () => number = () => performance.now(),
): (progress: LoadProgress) => void {
  /** Files that are being read, with their progress. */
  const open = new Map<string, OpenFile>()
  const showOpen = () => line.show(() => describeOpen(open, now()))
  return (progress) => {
    switch (progress.step) {
      case 'listing':
        return line.show(() => describeListing(progress))
      case 'reading':
        open.set(progress.file, { startedAt: now(), progress: undefined })
        line.say(`reading ${toOneLine(progress.file)} (${progress.index} of ${progress.of})`)
        return showOpen()
      case 'read': {
        const file = open.get(progress.file)
        if (file !== undefined) file.progress = progress
        return showOpen()
      }
      case 'written':
      case 'refused':
        open.delete(progress.file)
        return showOpen()
      case 'known':
        open.delete(progress.file)
        return line.say(`known already: ${toOneLine(progress.file)} (${progress.index} of ${progress.of})`)
      case 'switching':
        line.say(`switching ${countOf(progress.feeSchedules, 'fee schedule')}`)
        return line.show(() => '  switching')
    }
  }
}

function describeListing({ bytesRead, size }: Extract<LoadProgress, { step: 'listing' }>): string {
  if (size === undefined || size === 0) return `  ${formatBytes(bytesRead)} of the table of contents`
  return `  ${Math.floor((100 * bytesRead) / size)} % of the table of contents, ${formatBytes(size)}`
}

type ReadProgress = Extract<LoadProgress, { step: 'read' }>

interface OpenFile {
  readonly startedAt: number
  progress: ReadProgress | undefined
}

/** One file by itself, or several added up. */
function describeOpen(open: ReadonlyMap<string, OpenFile>, time: number): string {
  const files = [...open.values()]
  const [only, another] = open.keys()
  if (only === undefined) return '  checking and publishing'
  const started = files.flatMap((file) => (file.progress === undefined ? [] : [{ ...file, progress: file.progress }]))
  const [first] = started
  if (first === undefined) return `  still opening ${another === undefined ? toOneLine(only) : `${files.length} files`}`
  if (another === undefined) return describeRead(first.progress, time - first.startedAt)
  const bytes = started.reduce((sum, { progress }) => sum + progress.bytesRead, 0)
  const size = started.reduce((sum, { progress }) => sum + (progress.size ?? progress.bytesRead), 0)
  const prices = started.reduce((sum, { progress }) => sum + progress.prices, 0)
  const writing = started.filter(({ progress }) => progress.isRead).length
  const share = size === 0 ? 0 : Math.floor((100 * bytes) / size)
  const tail = writing === 0 ? '' : `, ${writing} being sorted and written`
  return `  ${files.length} files: ${share} % of ${formatBytes(size)}, ${formatNumber(prices)} prices${tail}`
}

function describeRead({ bytesRead, size, prices, isRead }: ReadProgress, elapsed: number): string {
  const counted = `${formatNumber(prices)} prices`
  if (isRead) return `  ${formatBytes(bytesRead)} read, ${counted}; sorting and writing`
  if (size === undefined || size === 0) return `  ${formatBytes(bytesRead)}, ${counted}`
  const share = bytesRead / size
  const timeLeft = describeSeconds((elapsed * (1 - share)) / share / 1000)
  return `  ${Math.floor(share * 100)} % of ${formatBytes(size)}, ${counted}, ${timeLeft} left to read`
}

const describeSeconds = (seconds: number) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${formatNumber(Math.round(seconds / 60))} min`
