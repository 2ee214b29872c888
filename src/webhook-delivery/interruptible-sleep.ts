/** A sleep that a wake-up ends early. A wake-up between two sleeps ends the next one at once. */
export class InterruptibleSleep {
  #isWoken = false
  #wake: () => void = () => {}

  wakeUp(): void {
    this.#isWoken = true
    this.#wake()
  }

  async sleep(maxMs: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, maxMs))
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#isWoken = false
  }
}
