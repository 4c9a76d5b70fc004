import type { FileProgress, StageOptions } from '../staging/stage-file.ts'

type Part = number | 'frame'

/** Adds up the progress of the pieces of a file. */
export class PieceProgress {
  readonly #size: number
  readonly #tell: StageOptions['onProgress']
  readonly #pieces = new Map<Part, FileProgress>()

  constructor(size: number, tell: StageOptions['onProgress']) {
    this.#size = size
    this.#tell = tell
  }

  /** Takes the progress of a piece, by its number, or of the frame. */
  of(part: Part): (progress: FileProgress) => void {
    return (progress) => {
      this.#pieces.set(part, progress)
      this.#report(Math.min(this.#size, this.#sum('bytesRead')), false)
    }
  }

  /** All is read and written. */
  end(): void {
    this.#report(this.#size, true)
  }

  #report(bytesRead: number, isRead: boolean): void {
    this.#tell?.({ bytesRead, size: this.#size, prices: this.#sum('prices'), isRead })
  }

  #sum(name: 'bytesRead' | 'prices'): number {
    return this.#pieces.values().reduce((sum, progress) => sum + progress[name], 0)
  }
}
