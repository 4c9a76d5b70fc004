/** A file of a result. */
export interface ResultFile {
  /** The file's name, which never changes. */
  readonly name: string
  /** Pre-signed; it expires after about an hour. */
  readonly url: string
}

/** The URL of a file, and the number of its signing. */
export interface SignedUrl {
  readonly url: string
  readonly signing: number
}

/** The URLs of a result's files. Concurrent downloads whose URLs have expired share one refresh. */
export class FileUrls {
  readonly #list: () => Promise<readonly ResultFile[]>
  #files: ReadonlyMap<string, string>
  #signing = 1
  #refresh: Promise<void> | undefined

  constructor(files: readonly ResultFile[], list: () => Promise<readonly ResultFile[]>) {
    this.#list = list
    this.#files = byName(files)
  }

  find(name: string): SignedUrl {
    const url = this.#files.get(name)
    if (url === undefined) throw new TypeError(`the result has no file ${name} any more`)
    return { url, signing: this.#signing }
  }

  /** Refreshes all URLs, unless they were refreshed after the given one was signed. */
  async renew({ signing }: SignedUrl): Promise<void> {
    if (signing < this.#signing) return
    this.#refresh ??= this.#read().finally(() => {
      this.#refresh = undefined
    })
    await this.#refresh
  }

  async #read(): Promise<void> {
    this.#files = byName(await this.#list())
    this.#signing += 1
  }
}

const byName = (files: readonly ResultFile[]) => new Map(files.map(({ name, url }) => [name, url]))
