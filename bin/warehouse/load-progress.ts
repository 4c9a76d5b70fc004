import type { WriteStream } from 'node:tty'
import { toOneLine } from '../../loader/load-refused.ts'
import type { LoadProgress, Repeat } from '../../loader/load-request.ts'
import { repeatByClock, startHeartbeat } from '../command/heartbeat.ts'

export interface ShownProgress {
  readonly show: (progress: LoadProgress) => void
  /** Ends the line that is being overwritten. */
  readonly end: () => void
}

/** Minimum milliseconds between two updates of the line: a terminal cannot keep up with the loader. */
const pause = 200

/**
 * Shows the progress of a load: on a terminal one live line (bytes, prices, time left), otherwise one plain line per
 * file and one every 30 seconds.
 */
export function showLoadProgress(
  output: Pick<WriteStream, 'write' | 'isTTY' | 'columns'>,
  now: () => number = () => performance.now(),
  repeat: Repeat = repeatByClock,
): ShownProgress {
  let latest: string | undefined
  /** Files that are being read, with their progress. */
  const open = new Map<string, OpenFile>()
  let shownAt = 0
  let isOpen = false
  const overwrite = (line: string) => {
    // Some terminals report a width of 0.
    output.write(`\r\u001b[K${line.slice(0, (output.columns || 80) - 1)}`)
    isOpen = true
  }
  const end = () => {
    if (isOpen) output.write('\r\u001b[K')
    isOpen = false
  }
  const heartbeat = startHeartbeat(output, () => latest, repeat)
  return {
    end() {
      heartbeat.stop()
      end()
    },
    show(progress) {
      const file = progress.step === 'read' ? open.get(progress.file) : undefined
      if (progress.step === 'read' && file !== undefined) {
        file.progress = progress
        latest = describeOpen(open, now())
      }
      if (progress.step === 'listing') {
        latest = describeListing(progress)
        if (output.isTTY && now() - shownAt >= pause) {
          shownAt = now()
          overwrite(latest)
        }
      } else if (progress.step === 'reading') {
        open.set(progress.file, { startedAt: now(), progress: undefined })
        latest = open.size === 1 ? `  still opening ${toOneLine(progress.file)}` : describeOpen(open, now())
        end()
        output.write(`reading ${toOneLine(progress.file)} (${progress.index} of ${progress.of})\n`)
      } else if (progress.step === 'read' && output.isTTY && (progress.isRead || now() - shownAt >= pause)) {
        shownAt = now()
        overwrite(describeOpen(open, shownAt))
      } else if (progress.step === 'written' || progress.step === 'refused') {
        open.delete(progress.file)
        latest = open.size === 0 ? '  checking and publishing' : describeOpen(open, now())
        end()
      } else if (progress.step === 'known') {
        open.delete(progress.file)
        end()
        output.write(`known already: ${toOneLine(progress.file)} (${progress.index} of ${progress.of})\n`)
      } else if (progress.step === 'switching') {
        latest = '  switching'
        end()
        output.write(
          `switching ${counts.format(progress.feeSchedules)} fee schedule${progress.feeSchedules === 1 ? '' : 's'}\n`,
        )
      }
    },
  }
}

function describeListing({ bytesRead, size }: Extract<LoadProgress, { step: 'listing' }>): string {
  if (size === undefined || size === 0) return `  ${megabytes(bytesRead)} of the table of contents`
  return `  ${Math.floor((100 * bytesRead) / size)} % of the table of contents, ${megabytes(size)}`
}

type ReadProgress = Extract<LoadProgress, { step: 'read' }>

interface OpenFile {
  readonly startedAt: number
  progress: ReadProgress | undefined
}

/** One file by itself, or several added up. */
function describeOpen(open: ReadonlyMap<string, OpenFile>, time: number): string {
  const files = [...open.values()]
  const started = files.flatMap((file) => (file.progress === undefined ? [] : [{ ...file, progress: file.progress }]))
  const [first] = started
  if (files.length === 1 && first !== undefined) return describeRead(first.progress, time - first.startedAt)
  const bytes = started.reduce((sum, { progress }) => sum + progress.bytesRead, 0)
  const size = started.reduce((sum, { progress }) => sum + (progress.size ?? progress.bytesRead), 0)
  const prices = started.reduce((sum, { progress }) => sum + progress.prices, 0)
  const writing = started.filter(({ progress }) => progress.isRead).length
  const share = size === 0 ? 0 : Math.floor((100 * bytes) / size)
  const tail = writing === 0 ? '' : `, ${writing} being sorted and written`
  return `  ${files.length} files: ${share} % of ${megabytes(size)}, ${counts.format(prices)} prices${tail}`
}

function describeRead({ bytesRead, size, prices, isRead }: ReadProgress, elapsed: number): string {
  const counted = `${counts.format(prices)} prices`
  if (isRead) return `  ${megabytes(bytesRead)} read, ${counted}; sorting and writing`
  if (size === undefined || size === 0) return `  ${megabytes(bytesRead)}, ${counted}`
  const share = bytesRead / size
  const left = describeSeconds((elapsed * (1 - share)) / share / 1000)
  return `  ${Math.floor(share * 100)} % of ${megabytes(size)}, ${counted}, ${left} left to read`
}

const counts = new Intl.NumberFormat('en')

const megabytes = (bytes: number) => `${counts.format(Math.round(bytes / 1e6))} MB`

const describeSeconds = (seconds: number) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${counts.format(Math.round(seconds / 60))} min`
