import type { WriteStream } from 'node:tty'
import type { LoadProgress } from '../../loader/load-request.ts'
import type { Repeat } from './heartbeat.ts'
import { repeatByClock, startHeartbeat } from './heartbeat.ts'

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
  let startedAt = 0
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
      if (progress.step === 'read') latest = describeRead(progress, now() - startedAt)
      if (progress.step === 'reading') {
        startedAt = now()
        latest = `  still opening ${progress.file}`
        end()
        output.write(`reading ${progress.file} (${progress.index} of ${progress.of})\n`)
      } else if (progress.step === 'read' && output.isTTY && (progress.isRead || now() - shownAt >= pause)) {
        shownAt = now()
        overwrite(describeRead(progress, shownAt - startedAt))
      } else if (progress.step === 'written') {
        latest = '  checking and publishing'
        end()
      } else if (progress.step === 'known') {
        end()
        output.write(`known already: ${progress.file} (${progress.index} of ${progress.of})\n`)
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

function describeRead(
  { bytesRead, size, prices, isRead }: Extract<LoadProgress, { step: 'read' }>,
  elapsed: number,
): string {
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
