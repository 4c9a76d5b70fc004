import type { FileProgress, StageOptions } from '../staging/stage-file.ts'

/** Adds up the progress of the pieces of a file. */
export class PieceProgress {
  readonly #size: number
  readonly #tell: StageOptions['onProgress']
  readonly #pieces: FileProgress[] = []

  constructor(size: number, tell: StageOptions['onProgress']) {
    this.#size = size
    this.#tell = tell
  }

  /** Takes the progress of a piece. */
  of(number: number): (progress: FileProgress) => void {
    return (progress) => {
      this.#pieces[number] = progress
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
    return this.#pieces.reduce((sum, progress) => sum + progress[name], 0)
  }
}
