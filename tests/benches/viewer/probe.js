/** Runs in the page before its own scripts: when it draws labels, what blocks its main thread, and how long its frames are. */
(() => {
  const TOP = 200;
  /** Since the last thing that a person did. */
  const probe = { start: 0, label: 0, long: [], frames: [] };
  window.__probe = probe;

  // A picture is the labels that one task draws near the top, which stay when the canvas changes its height. A new one has
  // labels that no picture before had.
  const pictures = new Set();
  let drawn = "";
  let at = 0;
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    if (y < TOP) {
      if (drawn === "") {
        at = performance.now();
        queueMicrotask(finishPicture);
      }
      drawn += `${text}\n`;
    }
    return fillText.call(this, text, x, y, ...more);
  };
  function finishPicture() {
    if (!pictures.has(drawn) && probe.label === 0) {
      probe.label = at;
      labelled();
    }
    pictures.add(drawn);
    drawn = "";
  }
  let labelled = () => {};
  /** Resolves as soon as there are labels. Not asked for again and again: that would take time from the page. */
  probe.labels = () =>
    new Promise((resolve) => {
      labelled = resolve;
      if (probe.label > 0) resolve();
    });

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) probe.long.push({ startTime, duration });
  }).observe({ entryTypes: ["longtask"] });

  const begin = (event) => {
    probe.start = event?.timeStamp ?? performance.now();
    probe.label = 0;
    probe.long = [];
  };
  // A change event has the time of its dispatch, so has a key.
  for (const type of ["keydown", "click"]) addEventListener(type, begin, { capture: true });
  addEventListener("change", (event) => event.target.files?.length && begin(event), { capture: true });

  let running = false;
  probe.startFrames = () => {
    probe.frames = [];
    running = true;
    let before = performance.now();
    const frame = () => {
      const now = performance.now();
      probe.frames.push(now - before);
      before = now;
      if (running) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  probe.stopFrames = () => {
    running = false;
    // The first ones wait for the first input.
    return probe.frames.slice(2);
  };
  /** Resolves with the time since the start as soon as an element is there, looked for in each frame. */
  probe.until = (selector) =>
    new Promise((resolve) => {
      const look = () => {
        if (document.querySelector(selector)) resolve(performance.now() - probe.start);
        else requestAnimationFrame(look);
      };
      look();
    });
})();
