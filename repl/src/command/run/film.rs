//! `--frame` and `--animate`: the scene of a run as a picture and as a film.
//!
//! The run is done again from its start, stopping at the times that are drawn; that leaves no trace in it, and what was
//! written of it is not touched.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use situ_engine::model::Model;
use situ_engine::sim;
use situ_engine::trace::{Recorder, Row};
use situ_views::scene::{Film, MOST_FRAMES, Picture, Theme, Trails, draw, svg};
#[cfg(feature = "png")]
use situ_views::scene::{apng, gif};
use situ_views::text::number::time as time_text;
use situ_words::say;

use crate::command::io::files::{self, Claims, quoted};
use crate::command::plot::PictureFile;
use crate::command::settings::number;
use crate::command::{Failure, Outcome};

/// Seconds that a film may take in which a unit of time is a second.
const REAL_TIME: std::ops::RangeInclusive<f64> = 2.0..=30.0;
/// Seconds of a film that would be shorter or longer.
const USUAL_LENGTH: f64 = 10.0;
/// Places of a path between two pictures, and on the way to a single one.
const PLACES: usize = 4;
const PLACES_OF_FRAME: usize = 500;

/// What is drawn of the scene, and where.
#[derive(Debug, Default, Args)]
pub(super) struct SceneDrawing {
    /// Draw the scene at a time into a file: .svg or .png; may be repeated
    #[arg(long, help_heading = "Scene", num_args = 2, value_names = ["TIME", "FILE"], allow_hyphen_values = true)]
    frame: Vec<String>,
    /// Draw the scene in motion into a file: .svg, .gif or .png (APNG)
    #[arg(long, help_heading = "Scene", value_name = "FILE", value_parser = FilmFile::parse)]
    animate: Option<FilmFile>,
    /// Units of time that pass in a second of --animate [default: 1 if it then takes 2 to 30 s, or else such that it
    /// takes 10 s]
    #[arg(long, help_heading = "Scene", value_name = "NUMBER", requires = "animate", value_parser = number)]
    speed: Option<f64>,
    /// Pictures in a second of --animate
    #[arg(long, help_heading = "Scene", value_name = "NUMBER", requires = "animate", default_value = "25", value_parser = number)]
    fps: f64,
}

/// A file for a film.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FilmFile {
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Svg,
    Apng,
    Gif,
}

impl FilmFile {
    fn parse(path: &str) -> Result<Self, String> {
        let path = PathBuf::from(path);
        let ending = path.extension().unwrap_or_default();
        let kind = match &*ending.to_string_lossy().to_lowercase() {
            "svg" => Kind::Svg,
            "png" | "apng" => Kind::Apng,
            "gif" => Kind::Gif,
            _ => return Err(say!("cli-parse.name-film-ends")),
        };
        Ok(Self { path, kind })
    }

    /// Checks that the program can draw it.
    #[cfg_attr(
        feature = "png",
        expect(clippy::unnecessary_wraps, reason = "a smaller program may refuse")
    )]
    fn check(&self) -> Outcome {
        match self.kind {
            #[cfg(not(feature = "png"))]
            Kind::Apng | Kind::Gif => Err(Failure::without("png")),
            _ => Ok(()),
        }
    }

    fn write(&self, film: &Film) -> Outcome {
        let bytes = match self.kind {
            Kind::Svg => film.svg().into_bytes(),
            #[cfg(feature = "png")]
            Kind::Apng => apng(film).map_err(|error| Failure::Run(error.to_string()))?,
            #[cfg(feature = "png")]
            Kind::Gif => gif(film).map_err(|error| Failure::Run(error.to_string()))?,
            #[cfg(not(feature = "png"))]
            Kind::Apng | Kind::Gif => return self.check(),
        };
        let written = files::write(&self.path, bytes);
        written.map_err(|error| Failure::writing(&quoted(&self.path), &error))
    }
}

/// Pictures and films that are wanted of a run.
#[derive(Debug)]
pub(super) struct WantedScene<'a> {
    /// The times at which pictures are wanted, in order, with their files.
    frames: Vec<(f64, PictureFile)>,
    film: Option<&'a FilmFile>,
    speed: Option<f64>,
    rate: f64,
}

impl SceneDrawing {
    /// What is wanted, if anything is.
    pub(super) fn wanted(&self, model: &Model) -> Result<Option<WantedScene<'_>>, Failure> {
        let wrong = |why: String| Failure::Wrong(why);
        let mut frames = Vec::new();
        for pair in self.frame.chunks_exact(2) {
            let time = number(&pair[0]).map_err(|error| wrong(say!("cli-wanted.frame", error)))?;
            let file = PictureFile::parse(&pair[1]);
            let file = file.map_err(|error| wrong(say!("cli-wanted.frame", error)))?;
            file.check()?;
            frames.push((time, file));
        }
        frames.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        if frames.is_empty() && self.animate.is_none() {
            return Ok(None);
        }
        if model.scene.is_none() {
            let option = if frames.is_empty() {
                "--animate"
            } else {
                "--frame"
            };
            return Err(wrong(say!("cli-wanted.draws-scene-table", option)));
        }
        for (option, value) in [("--speed", self.speed.unwrap_or(1.0)), ("--fps", self.fps)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(wrong(say!("cli-wanted.must-above-zero", option)));
            }
        }
        if self.fps > 100.0 {
            return Err(wrong(say!("cli-wanted.fps-must-most")));
        }
        if let Some(film) = &self.animate {
            film.check()?;
        }
        Ok(Some(WantedScene {
            frames,
            film: self.animate.as_ref(),
            speed: self.speed,
            rate: self.fps,
        }))
    }
}

impl WantedScene<'_> {
    /// The files that are going to be written.
    pub(super) fn claim(&self, claims: &mut Claims) -> Outcome {
        for (_, file) in &self.frames {
            claims.writes("--frame", file.path())?;
        }
        if let Some(film) = self.film {
            claims.writes("--animate", &film.path)?;
        }
        Ok(())
    }

    /// Draws what is wanted of a run that came to an end, and tells of what lies outside of it; `run` is that run at its
    /// start.
    pub(super) fn draw(&self, run: &sim::Run, end: f64) -> Outcome {
        let (begin, mut missed) = (run.time(), Vec::new());
        let mut frames = Vec::new();
        for (time, file) in &self.frames {
            if *time > end {
                let why = say!("cli-draw.ended-t", end = time_text(end));
                missed.push(outside(*time, file.path(), &why));
            } else if *time < begin {
                let why = say!("cli-draw.begins-t", time = time_text(begin));
                missed.push(outside(*time, file.path(), &why));
            } else {
                frames.push((*time, file));
            }
        }
        let mut sight = Replay::new(run.clone());
        let last = frames.last().map_or(end, |(time, _)| *time);
        let pause = (last - begin) / PLACES_OF_FRAME as f64;
        for (time, file) in frames {
            let picture = sight.at(time, pause)?;
            file.write(&svg(&picture, Theme::Auto), &svg(&picture, Theme::Light))?;
        }
        if let Some(film) = self.film {
            film.write(&self.film(run, end)?)?;
        }
        match missed.is_empty() {
            true => Ok(()),
            false => Err(Failure::Wrong(missed.join("; "))),
        }
    }

    fn film(&self, run: &sim::Run, end: f64) -> Result<Film, Failure> {
        let begin = run.time();
        let duration = end - begin;
        let by_itself = match REAL_TIME.contains(&duration) {
            true => 1.0,
            false => duration / USUAL_LENGTH,
        };
        let speed = self.speed.unwrap_or(by_itself);
        let frames = duration / speed * self.rate;
        if frames > MOST_FRAMES as f64 {
            return Err(Failure::Wrong(say!(
                "cli-film.animate-would-draw",
                frames = format!("{frames:.0}"),
                MOST_FRAMES
            )));
        }
        let n = (frames.round() as usize).max(1);
        let mut sight = Replay::new(run.clone());
        let mut film = Film {
            pictures: Vec::with_capacity(n),
            rate: self.rate,
        };
        let pause = duration / (n * PLACES) as f64;
        for frame in 0..n {
            let time = begin + duration * (frame as f64 / n as f64);
            film.pictures.push(sight.at(time, pause)?);
        }
        Ok(film)
    }
}

fn outside(time: f64, file: &Path, why: &str) -> String {
    let (time, file) = (time_text(time), quoted(file));
    say!("cli-outside.frame-run-not", time, why, file)
}

/// A run that is done again to be drawn.
struct Replay {
    run: sim::Run,
    model: Model,
    trails: Trails,
}

/// Notes where paths lead.
struct Noting<'a> {
    model: &'a Model,
    trails: &'a mut Trails,
}

impl Recorder for Noting<'_> {
    fn row(&mut self, row: &Row<'_>) -> ControlFlow<()> {
        self.trails.take(self.model, row);
        ControlFlow::Continue(())
    }
}

impl Replay {
    fn new(run: sim::Run) -> Self {
        let model = run.model().clone();
        let mut trails = Trails::default();
        trails.take(&model, &run.row());
        Self { run, model, trails }
    }

    /// The scene at a time, noting the ways of paths at least every `pause`.
    fn at(&mut self, time: f64, pause: f64) -> Result<Picture, Failure> {
        let steps = ((time - self.run.time()) / pause).ceil().max(1.0);
        let (begin, steps) = (self.run.time(), steps.min(1e6) as usize);
        for step in 1..=steps {
            let share = step as f64 / steps as f64;
            let at = if step == steps {
                time
            } else {
                begin + (time - begin) * share
            };
            let mut noting = Noting {
                model: &self.model,
                trails: &mut self.trails,
            };
            // What goes wrong in the run went wrong before.
            let reached = at <= self.run.time() || self.run.run_to(at, &mut noting).is_ok();
            self.trails.take(&self.model, &self.run.row());
            if !reached {
                break;
            }
        }
        let picture = draw(&self.model, &self.run.row(), &self.trails);
        picture.ok_or_else(|| {
            let time = time_text(time);
            Failure::Run(say!("cli-at.view-scene-no", time))
        })
    }
}
